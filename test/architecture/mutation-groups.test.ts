import { test } from 'node:test';
import { groupOf, groups } from '../mutation/groups.ts';

for (const { name } of groups) test(`the files of the group ${name} of mutants exist`, () => void groupOf(name));
