import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { languages } from './languages.ts';
import { secret, signedHeaders, vectors } from './webhook-vectors.ts';

describe('the vectors for signatures', () => {
  const single = vectors.filter(({ valid, headers }) => valid && !headers['webhook-signature']?.includes(' '));

  for (const { title, headers, body } of single)
    it(`have the signature that the specification computes for ${title}`, () => {
      const { 'webhook-id': id = '', 'webhook-timestamp': timestamp } = headers;
      assert.deepEqual(signedHeaders(id, body, Number(timestamp)), headers);
    });

  for (const { name, missing, checkVectors } of languages)
    it(
      `are accepted by the receiver in ${name} when they are valid, and refused when they are not`,
      { skip: missing },
      () => {
        const [program, ...args] = checkVectors;
        const { stdout, stderr } = spawnSync(program, args, {
          input: JSON.stringify({ secret, vectors }),
          encoding: 'utf8',
        });
        assert.equal(stderr, '');
        const accepted = JSON.parse(stdout) as readonly boolean[];
        assert.deepEqual(
          vectors.map(({ title }, index) => ({ title, valid: accepted[index] })),
          vectors.map(({ title, valid }) => ({ title, valid })),
        );
      },
    );

  for (const short of ['', 'whsec_c2hvcnQ=', secret.replace('whsec_', 'secret')])
    for (const { name, missing, checkVectors } of languages)
      it(`stop the receiver in ${name} when the secret is “${short}”`, { skip: missing }, () => {
        const [program, ...args] = checkVectors;
        const input = JSON.stringify({ secret: short, vectors });
        const { status, stdout } = spawnSync(program, args, { input, encoding: 'utf8' });
        assert.notEqual(status, 0);
        assert.doesNotMatch(stdout, /true/);
      });
});
