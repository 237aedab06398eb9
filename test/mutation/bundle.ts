// Stryker runs this script in its copy of the project. It bundles the tests of a group, with the mutants, so that a run for a
// mutant compiles nothing.
import { compileTests, writeProgram } from '../../scripts/test-node/compile-tests.ts';
import { compiledFolder, groupOf, groupProgram, testFilesOf } from './groups.ts';

writeProgram(groupProgram, await compileTests(testFilesOf(groupOf(process.argv[2])), compiledFolder));
