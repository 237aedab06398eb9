import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readFlags, usage } from '../../src/tools/sandbox/command-line.ts';

describe('readFlags', () => {
  it('returns a default for every setting, and a store in memory without --store', () => {
    assert.deepEqual(readFlags([], { SANDBOX_PORT: '' }), {
      port: 8081,
      host: '127.0.0.1',
      isDefaultToken: true,
      options: {
        token: 'sandbox-token',
        dataFile: ':memory:',
        publicUrl: undefined,
        invoiceLifetimeMs: 900_000,
        qrGenerationMs: 150,
        repeatedExternalId: 'new',
        faults: [],
      },
    });
  });

  it('ignores what Kubernetes sets for a service whose name is sandbox, and prints its address in ASCII', () => {
    const environment = { SANDBOX_PORT: 'tcp://10.0.0.1:8081', SANDBOX_PORT_8081_TCP_PORT: '8081', SANDBOX_ID: 'x' };
    const { port, options } = readFlags(['--public-url', 'http://Банк.рф:80/'], environment);
    assert.deepEqual([port, options.publicUrl], [8081, 'http://xn--80ab2al.xn--p1ai']);
  });

  it('returns the values of flags instead of those of the environment', () => {
    const environment = { SANDBOX_PORT: '1', SANDBOX_HOST: '::1', INVOICE_ACCESS_TOKEN: 'theirs' };
    const args = ['--port', '0', '--token=mine', '--store', 'a/b.json', '--repeated-external-id', 'same'];
    const { port, host, isDefaultToken, options } = readFlags(args, environment);
    assert.deepEqual([port, host, isDefaultToken], [0, '::1', false]);
    assert.deepEqual([options.token, options.dataFile, options.repeatedExternalId], ['mine', 'a/b.json', 'same']);
  });

  it('reads every setting from the environment too, also the file that keeps invoices', () => {
    const { options } = readFlags([], { SANDBOX_STORE: 'a/b.json', INVOICE_ACCESS_TOKEN: 'theirs' });
    assert.deepEqual([options.dataFile, options.token], ['a/b.json', 'theirs']);
    for (const [, flag = ''] of usage.matchAll(/^ {2}--([a-z-]+) [A-Z]/gm))
      assert.ok(
        usage.includes(
          flag === 'token' ? 'INVOICE_ACCESS_TOKEN' : `SANDBOX_${flag.replaceAll('-', '_').toUpperCase()}`,
        ),
        flag,
      );
  });

  for (const { text, kinds } of [
    { text: 'qr_refused, late_create', kinds: ['qr_refused', 'late_create'] },
    { text: '{"kind":"latency","ms":5}', kinds: ['latency'] },
    { text: ' [{"kind":"reset"},{"kind":"lost","times":1}]', kinds: ['reset', 'lost'] },
  ])
    it(`reads the faults ${text} from the flag and from the environment`, () => {
      for (const { options } of [readFlags(['--faults', text], {}), readFlags([], { SANDBOX_FAULTS: text })])
        assert.deepEqual(
          options.faults?.map(({ kind }) => kind),
          kinds,
        );
    });

  for (const [args, environment, message] of [
    [['--port', '65536'], {}, /^--port must be a whole number/],
    [['--repeated-external-id', 'x'], {}, /^--repeated-external-id must be one of new, same, conflict$/],
    [[], { SANDBOX_PORT: 'x' }, /^SANDBOX_PORT must be/],
    [[], { SANDBOX_PUBLIC_URL: 'ftp://x' }, /^SANDBOX_PUBLIC_URL must /],
    [['--token', 'a"b'], {}, /^--token must be ASCII text without spaces and quotes$/],
    [[], { SANDBOX_QR_GENERATION_MS: '-1' }, /^SANDBOX_QR_GENERATION_MS must /],
    [[], { SANDBOX_INVOICE_LIFETIME_MS: '0' }, /^SANDBOX_INVOICE_LIFETIME_MS must /],
    [[], { INVOICE_ACCESS_TOKEN: 'two words' }, /^INVOICE_ACCESS_TOKEN must /],
    [[], { SANDBOX_FUALTS: 'reset' }, /^SANDBOX_FUALTS is unknown: did you mean SANDBOX_FAULTS\?$/],
    [[], { SANDBOX_FAULTS: "'reset'" }, /^SANDBOX_FAULTS is in quotes, which are part of the value here/],
    [['--faults', 'explode'], {}, /^--faults is not a list of faults: 0.kind must be one of latency/],
    [['--faults', 'latency'], {}, /^--faults is not a list of faults: 0.ms/],
    [[], { SANDBOX_FAULTS: '[{"kind"' }, /^SANDBOX_FAULTS is not a list of faults/],
    [['--store='], {}, /^--store is empty$/],
    [['--stor', 'x'], {}, /Unknown option '--stor'/],
    [['here'], {}, /Unexpected argument 'here'/],
  ] as const)
    it(`refuses ${args.join(' ') || Object.entries(environment).join()} with an error that names the flag or variable`, () => {
      assert.throws(() => readFlags(args, environment), { message });
    });

  it('accepts each flag that the usage lists', () => {
    const values: Readonly<Record<string, string>> = {
      '--public-url': 'http://x',
      '--repeated-external-id': 'new',
      '--faults': 'lost',
    };
    const flags = new Set([...usage.matchAll(/--[a-z-]+/g)].map(([flag]) => flag));
    assert.equal(flags.delete('--help'), true);
    assert.equal(flags.size, 9);
    for (const flag of flags) assert.doesNotThrow(() => readFlags([`${flag}=${values[flag] ?? '7'}`], {}));
  });
});
