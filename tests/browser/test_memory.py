"""GPU memory: what a scene allocates is freed when another scene replaces it."""

COUNT_BUFFERS = """
window.buffers = new Set();
{
  const { createBuffer, deleteBuffer } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.createBuffer = function () {
    const buffer = createBuffer.call(this);
    window.buffers.add(buffer);
    return buffer;
  };
  WebGL2RenderingContext.prototype.deleteBuffer = function (buffer) {
    window.buffers.delete(buffer);
    deleteBuffer.call(this, buffer);
  };
}
"""
USED = """(() => {
  const { memory, programs } = playground.page.stage.renderer.info;
  return { ...memory, programs: programs.length, buffers: window.buffers.size };
})()"""
CHAIN = {"limits": True, "joints": {}, "motion": None}
SETUPS = [
    {"scene": "arm", **CHAIN},
    {"scene": "humanoid", "limits": True, "motion": "walk"},
    {"scene": "snake", "links": 12, **CHAIN},
]


def test_switching_scenes_does_not_grow_gpu_memory(new_page):
    driver = new_page(size=(400, 300), script=COUNT_BUFFERS)
    driver.ask("playground.page.store.setLook({ onion: true, frames: true })")

    def visit(setup):
        driver.set(**setup)
        if setup["scene"] == "humanoid":
            driver.until("playground.meshes() > 0")
            for time in (0.1, 0.2, 0.3):
                driver.ask(f"playground.page.timeline.seek({time})")
                driver.settled()
        driver.settled()
        used = driver.ask(USED)
        if setup["scene"] == "humanoid":
            del used["programs"]  # one more if a frame was drawn before the images were decoded
        return used

    for setup in SETUPS:  # creates the parts that are kept
        visit(setup)
    first = [visit(setup) for setup in SETUPS]
    for _ in range(3):
        last = [visit(setup) for setup in SETUPS]
    for before, after in zip(first, last, strict=True):
        assert all(after[name] <= before[name] for name in before), (before, after)


def test_changing_the_quality_frees_the_memory_of_the_old_renderer(new_page):
    driver = new_page(size=(400, 300), script=COUNT_BUFFERS)
    driver.set(**SETUPS[1])
    driver.until("playground.meshes() > 0")
    driver.settled()
    before = driver.ask(USED)
    for quality in ("fine", "plain"):
        driver.ask(f"playground.page.store.setLook({{ quality: {quality!r} }})")
        driver.settled()
    after = driver.ask(USED)
    assert all(after[name] <= before[name] for name in ("geometries", "textures", "buffers"))
