// The panel's section for the motion that plays: planted feet, what `check` finds, retargeting.

import type { CheckReport, FaultInfo, FaultKind, RetargetInfo, RoleInfo, Scene } from "../io/messages";
import type { MotionActions, SectionContext } from "./context";
import { button, el, hint, row, section, select, toggle } from "./dom";
import { lengthText } from "./numbers";

const MOST_LISTED = 40; // faults of a kind
const A_FILE = "*"; // the choice of a file to be opened
const BODIES = ["humanoid", "human"]; // built-in scenes that a motion can be retargeted onto

export function motionSection({ store, act, standalone, hello, scene }: SectionContext): HTMLElement | null {
  const motion = scene.motions.find(({ name }) => name === scene.motion);
  if (standalone || !motion) return null;
  const edits = store.setup.edits[motion.name];
  const parts: HTMLElement[] = [];
  if (scene.contacts) {
    parts.push(
      row(
        "Plant feet",
        toggle("plant", edits?.plant ?? false, (plant) => store.editMotion({ plant })),
        "Feet stand still while they are in contact",
      ),
      row(
        "Contacts",
        toggle("tracks-panel", store.look.tracks, (tracks) => store.setLook({ tracks })),
        "Bars below the timeline: when feet and hands touch the ground",
      ),
    );
    if (scene.contacts.slides.length) parts.push(hint(slideText(scene)));
    if (scene.contacts.edited)
      parts.push(
        el(
          "div",
          { className: "buttons" },
          button("Contacts as found", () => store.editMotion({ contacts: null }), { name: "found-contacts" }),
        ),
      );
  }
  const fixed = edits?.repair ?? false;
  parts.push(
    el("h4", {}, "Check"),
    el(
      "div",
      { className: "buttons" },
      button("Check", () => act.motion.check(), { name: "check", title: "Look for faults: sliding feet, pops, joints in the ground or beyond their limits" }),
      fixed
        ? button("As it was", () => store.editMotion({ repair: false }), { name: "unfix", title: "The motion without the repairs" })
        : button("Fix", () => act.motion.fix(), { name: "fix", title: "Repair what can be repaired, and show what is left" }),
    ),
  );
  const { report } = store;
  if (report?.motion === motion.name) parts.push(...reportRows(report, act.motion));
  parts.push(el("h4", {}, "Retarget"), ...retargetRows({ store, act, standalone, hello, scene }));
  return section("Motion", scene.retargeted !== null, ...parts);
}

function slideText(scene: Scene): string {
  const lines = (scene.contacts?.slides ?? []).map(
    ({ foot, before, after }) => `${foot}: ${lengthText(before, scene)} a second, now ${lengthText(after, scene)}`,
  );
  return `Slide while standing. ${lines.join("; ")}.`;
}

// Check --------------------------------------------------------------------------------------------

function reportRows(report: CheckReport, act: MotionActions): HTMLElement[] {
  const found = report.kinds.filter(({ count, before }) => count > 0 || (before ?? 0) > 0);
  const clean = report.kinds.filter(({ count, before, reason }) => count === 0 && !before && !reason).map(({ kind }) => kind);
  const left = report.kinds.filter(({ count, before, reason }) => count === 0 && !before && reason);
  const counts = `${report.total} fault${report.total === 1 ? "" : "s"}`;
  const before = report.kinds.reduce((sum, kind) => sum + (kind.before ?? 0), 0);
  const head = report.repaired
    ? `Repaired: ${before} before, ${report.total} now.`
    : report.total
      ? `${counts} in ${report.frames} frames.`
      : `No faults in ${report.frames} frames.`;
  const lines: HTMLElement[] = [el("p", { className: "hint", id: "checked", role: "status" }, head)];
  lines.push(
    ...found.map((kind) =>
      kindRow(
        kind,
        report.faults.filter((fault) => fault.kind === kind.kind),
        act,
      ),
    ),
  );
  if (clean.length) lines.push(hint(`Nothing found: ${clean.join(", ")}.`));
  if (left.length) lines.push(hint(`Not checked: ${left.map(({ kind, reason }) => `${kind} (${reason})`).join(", ")}.`));
  return lines;
}

/** A kind of fault with its counts and its worst, that unfolds into its faults. */
function kindRow({ kind, meaning, count, before, worst, reason }: FaultKind, faults: FaultInfo[], act: MotionActions): HTMLElement {
  const counts = el("span", { className: "count" }, before === null ? String(count) : `${before} → ${count}`);
  const listed = faults.slice(0, MOST_LISTED).map((fault) => {
    const frames = fault.stop - fault.start === 1 ? `frame ${fault.start}` : `frames ${fault.start} to ${fault.stop - 1}`;
    return button(`${fault.label}, ${frames}`, () => act.goTo(fault), { className: "fault", title: fault.value, name: `fault-${kind}-${fault.frame}` });
  });
  const more = count - listed.length;
  return el(
    "details",
    { className: "kind", data: { kind } },
    el("summary", {}, el("span", {}, el("i", { data: { kind } }), kind), counts),
    hint(`${meaning[0]?.toUpperCase()}${meaning.slice(1)}.${count ? ` Worst: ${worst}.` : ""}`),
    ...listed,
    ...(more > 0 && listed.length ? [hint(`and ${more} more`)] : []),
    ...(reason && count ? [hint(`Left: ${reason}.`)] : []),
  );
}

// Retargeting --------------------------------------------------------------------------------------

function retargetRows({ store, act, hello, scene }: SectionContext): HTMLElement[] {
  const made = scene.retargeted;
  const { setup } = store;
  const source = setup.retarget?.source ?? setup.scene;
  const own = hello.scenes.filter(({ name }) => BODIES.includes(name) && name !== source).map(({ name, title }) => ({ value: name, label: title }));
  const files = act.motion.opened.filter((one) => one.scene !== source).map(({ scene: value, title }) => ({ value, label: title }));
  const targets = [...own, ...files, { value: A_FILE, label: "a file…" }];
  const chosen = made ? setup.scene : targets[0]!.value;
  const target = select("target", targets, chosen, () => {});
  const start = () => (target.value === A_FILE ? act.motion.retargetOntoFile() : act.motion.retarget(target.value));
  const parts = [
    row("Onto", target, "The body that gets the motion"),
    el(
      "div",
      { className: "buttons" },
      button("Retarget", start, { name: "retarget", title: "Retarget the motion onto the other body, and show both side by side" }),
      made ? button("Back to the source", () => act.motion.toSource(), { name: "to-source" }) : null,
    ),
  ];
  return made ? [...parts, ...madeRows(made, scene, act.motion)] : parts;
}

function madeRows(made: RetargetInfo, scene: Scene, act: MotionActions): HTMLElement[] {
  const seconds = made.seconds < 0.1 ? "less than 0.1 s" : `${made.seconds.toFixed(1)} s`;
  const parts = [
    hint(`${made.motion} of ${made.source}: ${made.frames} frames in ${seconds}, scaled by ${made.scale.toPrecision(3)} to the length of its legs.`),
  ];
  if (made.notes.length) {
    parts.push(
      el("details", { className: "notes" }, el("summary", {}, made.notes.length === 1 ? "1 note" : `${made.notes.length} notes`), ...made.notes.map(hint)),
    );
  }
  const joints = [
    { id: "source-joints", names: made.source_joints },
    { id: "target-joints", names: scene.names.slice(0, scene.joints.length) },
  ];
  const lists = joints.map(({ id, names }) => el("datalist", { id }, ...names.map((value) => el("option", { value }))));
  const head = el("tr", {}, el("th", {}, "part"), el("th", {}, "source"), el("th", {}, "target"));
  const rows = made.roles.map((role) =>
    el(
      "tr",
      {},
      el("th", { title: role.needed ? "needed" : "" }, `${role.role.replaceAll("_", " ")}${role.needed ? " *" : ""}`),
      el("td", {}, jointField("source_map", role, role.source, act)),
      el("td", {}, jointField("target_map", role, role.target, act)),
    ),
  );
  const table = el("table", { className: "roles" }, el("thead", {}, head), el("tbody", {}, ...rows));
  return [
    ...parts,
    table,
    ...lists,
    hint("Which joint is which part of the body; several with commas. An empty field: the body has no such part. * is needed."),
  ];
}

function jointField(which: "source_map" | "target_map", { role }: RoleInfo, joints: string[], act: MotionActions): HTMLInputElement {
  const field = el("input", { type: "text", name: `${which}-${role}`, value: joints.join(", "), placeholder: "—", autocomplete: "off", spellcheck: false });
  field.setAttribute("list", which === "source_map" ? "source-joints" : "target-joints");
  field.setAttribute("aria-label", `${role.replaceAll("_", " ")} of the ${which === "source_map" ? "source" : "target"}`);
  field.title = joints.join(", ");
  field.addEventListener("change", () =>
    act.setRole(
      which,
      role,
      field.value
        .split(",")
        .map((name) => name.trim())
        .filter(Boolean),
    ),
  );
  return field;
}
