def run(command):
    return command


def test_runs():
    run("tesserac")
