// Writes docs/testing.md anew out of test/results: `npm run docs:testing`.
import { writePage } from './figures/testing-page.ts';

writePage();
