// Builds the page's script into the folder in which `tsc` has put the server.
export default {
  build: {
    emptyOutDir: false,
    outDir: 'dist/public',
    rolldownOptions: { input: 'src/page.ts', output: { entryFileNames: 'page.js' } },
  },
};
