# The whole box in one container; its data is the volume /data.
# Without a container engine, .ci/container.py runs these very steps: keep what it reads simple.
FROM python:3.11-slim

RUN install -d -o 10001 -g 10001 /app && install -d -o 10001 -g 10001 -m 700 /data
USER 10001:10001
WORKDIR /app

COPY --chown=10001:10001 requirements.txt .
RUN python3 -m venv .venv && .venv/bin/pip install -q --no-cache-dir -r requirements.txt

COPY --chown=10001:10001 . .
RUN .venv/bin/python -m compileall -q app.py wsgi.py switchboard jobs

ENV SWITCHBOARD_HOST=0.0.0.0 SWITCHBOARD_DATA=/data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python3", "-c", "import http.client, os; c = http.client.HTTPConnection('127.0.0.1', int(os.environ.get('SWITCHBOARD_PORT', 8080)), timeout=4); c.request('GET', '/healthz'); exit(c.getresponse().status != 200)"]
CMD [".venv/bin/python", "app.py"]
