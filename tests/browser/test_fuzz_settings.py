"""Settings files with anything in them: taken over as far as they fit, and the page goes on working."""

import json
import os
import random

VALUES = [
    *(None, True, False, -1, 0, 0.5, 3, 1e9, 1e300, "", "snake", "CCD", "x" * 2000, "\ud800", "__proto__"),
    *([], [None], [1, 2, 3], [[]], {}, {"a": 1}, {"constructor": 1}, {"__proto__": {"x": 1}}),
]  # fmt: skip
COUNT = int(os.environ.get("SUPPLE_FUZZ", "40"))


def places(value, at=()):
    """The path of everything inside a value."""
    if at:
        yield at
    inside = value.items() if isinstance(value, dict) else ()
    for key, one in enumerate(value) if isinstance(value, list) else inside:
        yield from places(one, (*at, key))


def changed(value, dice):
    """A copy with something else, nothing, or something more at a few places."""
    out = json.loads(json.dumps(value))
    for _ in range(dice.choice((1, 1, 3, 8))):
        *way, last = dice.choice(list(places(out)))
        inside = out
        for key in way:
            inside = inside[key]
        if dice.random() < 0.2:
            del inside[last]
        elif dice.random() < 0.1 and isinstance(inside, dict):
            inside[dice.choice(("more", "__proto__", ""))] = dice.choice(VALUES)
        else:
            inside[last] = dice.choice(VALUES)
        out["format"] = "supple-settings"
    return out


def test_whatever_is_in_a_settings_file_the_page_goes_on(driver):
    dice = random.Random(1)
    driver.page.select_option("[name=scene]", "arm")
    driver.page.check("[name=limits]")
    driver.settled()
    driver.drag_goal(20, 10)
    whole = {
        "format": "supple-settings",
        "version": 1,
        **driver.ask("playground.page.store.settings"),
    }
    take = "text => playground.page.files.act.settings(text)"
    for k in range(COUNT):
        text = json.dumps(changed(whole, dice))
        if k % 5 == 0:  # damaged as a text
            at = dice.randrange(len(text))
            text = text[:at] + dice.choice(("", "}", '"', "\x00", "9" * 400)) + text[at + 1 :]
        driver.page.evaluate(take, text)
        if k % 10 == 0:
            driver.settled()
    driver.settled()
    assert driver.ask("({}).x") is None, "no file reaches the prototype of objects"
    driver.page.evaluate(take, json.dumps(whole))
    driver.settled()
    assert driver.session.setup.scene == "arm" and driver.session.setup.limits
    driver.drag_goal(-15, 5)
    assert driver.ask("playground.counts().wants") > 0
