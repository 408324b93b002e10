import { defineConfig, type Plugin } from "vite";

// Three builds into one folder: the playground's page (the default mode); `standalone`, one script and one
// style sheet that `supple page` writes into a file; `kernels`, the module around supple.wasm, for others.
const LIBRARIES: Record<string, { entry: string; format: "es" | "iife" }> = {
  standalone: { entry: "src/standalone/main.ts", format: "iife" },
  kernels: { entry: "src/kernels/index.ts", format: "es" },
};

// The small script that the page begins with imports the large one: have both fetched at once.
const preloaded: Plugin = {
  name: "preloaded",
  transformIndexHtml: {
    order: "post",
    handler: (_, { bundle }) =>
      Object.values(bundle ?? {})
        .filter((file) => file.type === "chunk" && file.isDynamicEntry)
        .map(({ fileName }) => ({ tag: "link", injectTo: "head" as const, attrs: { rel: "modulepreload", crossorigin: true, href: `./${fileName}` } })),
  },
};

// Everything is served from the machine itself, under any address: paths stay relative.
export default defineConfig(({ mode }) => {
  const library = LIBRARIES[mode];
  const common = { target: "es2022", assetsInlineLimit: 16384, chunkSizeWarningLimit: 1500, reportCompressedSize: false };
  if (!library) return { base: "./", build: common, plugins: [preloaded] };
  return {
    base: "./",
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      ...common,
      emptyOutDir: false,
      lib: { entry: library.entry, formats: [library.format], name: "supple", fileName: () => `${mode}.js`, cssFileName: mode },
    },
  };
});
