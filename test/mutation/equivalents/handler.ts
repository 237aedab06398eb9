import type { Equivalent } from './equivalent.ts';

const inBody = { module: 'src/server/http/bounded-body.ts' };
const inJson = { module: 'src/server/http/json-body.ts' };
const inOrigin = { module: 'src/server/http/cors.ts' };

export const ofHandler: readonly Equivalent[] = [
  {
    module: 'src/server/http/router.ts',
    line: "body === undefined || request.method === 'HEAD'",
    was: 'body === undefined',
    became: 'false',
    why: 'A body that is undefined is none; the check is for the compiler.',
  },
  {
    module: 'src/server/http/route.ts',
    line: 'form.exec(path) ?? []',
    was: '[]',
    why: 'What has no second part names no checkout.',
  },
  {
    ...inOrigin,
    line: 'origin === null || !listed.has(origin)',
    was: 'origin === null',
    became: 'false',
    why: 'What is missing is in no list; the check is for the compiler.',
  },
  {
    ...inOrigin,
    line: 'origin !== null && listed.has(origin)',
    was: 'origin !== null',
    became: 'true',
    why: 'What is missing is in no list; the check is for the compiler.',
  },
  {
    module: 'src/server/http/problem.ts',
    line: '=== undefined ? {} : {',
    was: '',
    became: 'false',
    why: 'A member that is undefined does not come into the JSON; the check is for the compiler.',
  },
  {
    module: 'src/server/http/read-create-request.ts',
    line: "headers.get('idempotency-key') ?? ''",
    was: "''",
    why: 'Any text that is no key is refused alike.',
  },
  {
    ...inJson,
    line: "headers.get('content-type') ?? ''",
    was: "''",
    why: 'Any text that is no type of JSON is refused alike.',
  },
  {
    ...inJson,
    line: 'test(type.trim())',
    was: 'type.trim()',
    became: 'type',
    why: 'Headers trim their values themselves; what is not the platform’s own may not.',
  },
  {
    ...inJson,
    line: "issue?.path.join('.') ?? ''",
    was: '',
    why: 'A body that is refused has a reason, and no field of this API is inside another; the rest is for the compiler.',
  },
  {
    ...inJson,
    line: "issue?.message ?? 'is not valid'",
    was: "'is not valid'",
    why: 'A body that is refused has a reason; the default is for the compiler.',
  },
  {
    ...inJson,
    line: "issue?.message ?? 'is not valid'",
    was: 'issue?.message',
    became: 'issue.message',
    why: 'A body that is refused has a reason; the check is for the compiler.',
  },
  {
    ...inBody,
    line: '{ once: true }',
    was: '',
    why: 'It is removed in the end either way, and nothing follows from a second call.',
  },
];
