// The page's script; `tsc` has put the server beside it.
export default {
  build: {
    emptyOutDir: false,
    outDir: 'dist/public',
    rolldownOptions: { input: 'src/page.ts', output: { entryFileNames: 'page.js' } },
  },
};
