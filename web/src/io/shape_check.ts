// Checks data from outside, such as kept or saved settings, against a shape.

import type { ObjectShape, Shape } from "./messages";

/** Stands for a value that does not fit; no JSON value equals it. */
const NOTHING = Symbol("nothing");

const MOST_LISTED = 5; // ignored values that are listed

/** The fields of an object that fit a shape; the shape's defaults for the rest, which `ignored` lists. */
export function fitting<T>(shape: ObjectShape, value: unknown, where: string, ignored: string[]): T {
  const found = fit(shape, value, where, ignored);
  return (found === NOTHING ? structuredClone(shape.defaults) : found) as T;
}

/** A list of ignored values, one per line. */
export function bulleted(ignored: string[]): string {
  const lines = ignored.slice(0, MOST_LISTED).map((one) => `• ${one}`);
  if (ignored.length > MOST_LISTED) lines.push(`• and ${ignored.length - MOST_LISTED} more`);
  return lines.join("\n");
}

function fit(shape: Shape, value: unknown, where: string, ignored: string[]): unknown {
  if (!accepts(shape, value)) {
    ignored.push(`${where}: expected ${inWords(shape)}, got ${brief(value)}`);
    return NOTHING;
  }
  switch (shape.kind) {
    case "either":
      return fit(
        shape.of.find((one) => accepts(one, value))!,
        value,
        where,
        ignored,
      );
    case "object":
      return fitObject(shape, value as Record<string, unknown>, where, ignored);
    case "record": {
      const entries = Object.entries(value as object).map(([key, one]) => [key, fit(shape.of, one, `${where}.${key}`, ignored)] as const);
      return Object.fromEntries(entries.filter(([key, one]) => one !== NOTHING && key !== "__proto__"));
    }
    case "list":
    case "tuple": {
      const items = (value as unknown[]).map((one, k) => fit(shape.kind === "list" ? shape.of : shape.of[k]!, one, `${where}[${k}]`, ignored));
      const right = items.filter((one) => one !== NOTHING);
      // Dropping one object leaves the others valid; dropping one number shifts the rest.
      const single = shape.kind === "list" && shape.of.kind === "object";
      return right.length === items.length || single ? right : NOTHING;
    }
    default:
      return value;
  }
}

function fitObject(shape: ObjectShape, value: Record<string, unknown>, where: string, ignored: string[]): unknown {
  const result: Record<string, unknown> = structuredClone(shape.defaults);
  const path = (name: string) => (where ? `${where}.${name}` : name);
  for (const name of Object.keys(value)) if (!(name in shape.fields)) ignored.push(`${path(name)}: not known here`);
  for (const [name, field] of Object.entries(shape.fields)) {
    const given = Object.hasOwn(value, name) ? fit(field, value[name], path(name), ignored) : NOTHING;
    if (given !== NOTHING) result[name] = given;
    else if (!(name in result)) {
      if (!Object.hasOwn(value, name)) ignored.push(`${where}: expected ${name}, got none`);
      return NOTHING;
    }
  }
  return result;
}

/** True if a value is of a shape's kind; nested values are checked by `fit`. */
function accepts(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case "null":
      return value === null;
    case "flag":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number" && value >= shape.least && value <= shape.greatest && (!shape.whole || Number.isInteger(value));
    case "text":
      return typeof value === "string" && value.length <= shape.most;
    case "choice":
      return typeof value === "string" && shape.of.includes(value);
    case "list":
      return Array.isArray(value) && value.length >= shape.least && value.length <= shape.most;
    case "tuple":
      return Array.isArray(value) && value.length === shape.of.length;
    case "record":
      return isObject(value) && Object.keys(value).length <= shape.most;
    case "object":
      return isObject(value);
    case "either":
      return shape.of.some((one) => accepts(one, value));
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A shape in words. */
function inWords(shape: Shape): string {
  switch (shape.kind) {
    case "null":
      return "none";
    case "flag":
      return "true or false";
    case "number":
      return `a ${shape.whole ? "whole " : ""}number from ${short(shape.least)} to ${short(shape.greatest)}`;
    case "text":
      return "text";
    case "choice":
      return shape.of.map((one) => JSON.stringify(one)).join(" or ");
    case "list":
      return "a list";
    case "tuple":
      return `${shape.of.length} numbers`;
    case "record":
    case "object":
      return "an object";
    case "either":
      return [...new Set(shape.of.map(inWords))].join(" or ");
  }
}

const short = (value: number) => (Math.abs(value) >= 1e6 ? value.toExponential(0).replace("+", "") : String(value));

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 37)}…` : text;
}
