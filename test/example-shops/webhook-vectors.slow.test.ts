import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { languages } from './languages.ts';
import { secret, signedHeaders, vectors } from './webhook-vectors.ts';

describe('the vectors for signatures', () => {
  const vectorsWithOneSignature = vectors.filter(
    ({ valid, headers }) => valid && !headers['webhook-signature']?.includes(' '),
  );

  for (const { title, headers, body } of vectorsWithOneSignature)
    it(`have the signature that the specification computes for ${title}`, () => {
      const { 'webhook-id': id = '', 'webhook-timestamp': timestamp } = headers;
      assert.deepEqual(signedHeaders(id, body, Number(timestamp)), headers);
    });

  for (const { name, reasonToSkip, checkVectors } of languages)
    it(
      `are accepted by the receiver in ${name} when they are valid, and rejected when they are not`,
      { skip: reasonToSkip },
      () => {
        const [program, ...args] = checkVectors;
        const { stdout, stderr } = spawnSync(program, args, {
          input: JSON.stringify({ secret, vectors }),
          encoding: 'utf8',
        });
        assert.equal(stderr, '');
        const acceptedByReceiver = JSON.parse(stdout) as readonly boolean[];
        assert.deepEqual(
          vectors.map(({ title }, index) => ({ title, valid: acceptedByReceiver[index] })),
          vectors.map(({ title, valid }) => ({ title, valid })),
        );
      },
    );

  for (const wrongSecret of ['', 'whsec_c2hvcnQ=', secret.replace('whsec_', 'secret')])
    for (const { name, reasonToSkip, checkVectors } of languages)
      it(`make the receiver in ${name} fail when its secret is “${wrongSecret}”`, { skip: reasonToSkip }, () => {
        const [program, ...args] = checkVectors;
        const input = JSON.stringify({ secret: wrongSecret, vectors });
        const { status, stdout } = spawnSync(program, args, { input, encoding: 'utf8' });
        assert.notEqual(status, 0);
        assert.doesNotMatch(stdout, /true/);
      });
});
