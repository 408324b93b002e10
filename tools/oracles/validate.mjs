// What gltf-validator says of files: a line each of those with errors or warnings, and a sum.
//
//   node validate.mjs FILE...

import fs from "node:fs";
import path from "node:path";
import validator from "gltf-validator";

const sum = { files: 0, errors: 0, warnings: 0 };
for (const file of process.argv.slice(2)) {
  const beside = (uri) => path.resolve(path.dirname(file), decodeURIComponent(uri));
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
    uri: path.basename(file),
    externalResourceFunction: async (uri) => new Uint8Array(fs.readFileSync(beside(uri))),
  });
  const { numErrors, numWarnings, messages } = report.issues;
  sum.files += 1;
  sum.errors += numErrors;
  sum.warnings += numWarnings;
  for (const one of messages.filter((message) => message.severity < 2).slice(0, 3)) {
    console.log(`${path.basename(file)}: ${one.code} ${one.message} ${one.pointer}`);
  }
}
console.log(JSON.stringify(sum));
