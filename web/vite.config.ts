import { defineConfig } from "vite";

// Everything is served from the machine itself, under any address: paths stay relative.
export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    assetsInlineLimit: 16384,
    chunkSizeWarningLimit: 1500,
    reportCompressedSize: false,
  },
});
