"""How a reply is cut out of a mail, and which mails are none."""
