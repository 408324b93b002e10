"""The page's store: state is replaced, never changed in place, so that a snapshot can be restored."""

FREEZE = """(() => {
  const freeze = (value) => {
    if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  };
  const { store } = playground.page;
  freeze(store.settings);
  store.subscribe(() => freeze(store.settings));
})()"""


def test_nothing_changes_the_settings_in_place(new_page):
    driver = new_page()
    driver.ask(
        FREEZE
    )  # assigning to a frozen object throws, and a script that fails fails the test
    before = driver.ask("JSON.stringify(window.snapshot = playground.page.store.settings)")
    driver.drag_goal(-60, -30)
    page = driver.page
    page.focus("#canvas")
    page.keyboard.press("l")
    page.keyboard.press("k")
    driver.until("playground.setup().keys.length === 1")
    page.select_option("[name=joint]", "1")
    page.fill("[name=swing]", "40")
    page.select_option("[name=solver]", "CCD")
    driver.settled()
    x, y = driver.joint_pixel("j3")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 20, steps=4)
    page.mouse.up()
    driver.settled()
    page.select_option("[name=scene]", "humanoid")  # refused: CCD cannot take its goals
    driver.until("playground.notice().includes('Kept as before')")
    page.select_option("[name=solver]", "auto")
    page.select_option("[name=scene]", "humanoid")
    driver.until("playground.meshes() > 0")
    driver.set(motion="walk")
    driver.ask("playground.page.timeline.seek(0.2)")
    driver.ask("playground.page.resetPose()")
    driver.settled()
    assert driver.ask("JSON.stringify(window.snapshot)") == before


def test_a_snapshot_is_restored(driver):
    driver.drag_goal(-60, -30)
    before = driver.ask("[playground.goal(), playground.setup(), playground.page.store.look]")
    driver.ask("window.snapshot = playground.page.store.settings; 0")
    driver.set(links=5, limits=True, solver={"name": "CCD", "options": {}})
    driver.drag_goal(40, -20)
    driver.ask("playground.page.store.setLook({ frames: true, bones: false })")
    driver.ask("playground.page.store.replace(window.snapshot)")
    driver.settled()
    after = driver.ask("[playground.goal(), playground.setup(), playground.page.store.look]")
    assert after == before
    assert len(driver.joints()) == 9
    assert driver.tip_error() <= driver.tolerance() * 1.01
