from tests.world import World


def test_a_delivery_becomes_a_todo(world: World) -> None:
    todo = world.claimed()
    assert todo["reply_to"]["display"] == "github acme/rocket#1"
    r = world.reply(todo)
    assert r.status_code == 202
