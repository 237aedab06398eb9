import { throwingProxy } from './throwing-proxy.ts';

/** A value that code of the shop may throw, and what is stored of it as the reason of a failed delivery. */
export interface ThrownValue {
  readonly title: string;
  readonly make: () => unknown;
  readonly text: string;
}

const withMessage = (message: unknown): Error => Object.assign(new Error('replaced'), { message });

const throwing = (name: string, target: object): object =>
  Object.defineProperty(target, name, {
    get: () => {
      throw new Error('getter');
    },
  });

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function circular(): object {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

function circularCause(): Error {
  const error = new Error('circular cause');
  error.cause = error;
  return error;
}

const throwingToString = {
  toString: () => {
    throw new Error('toString');
  },
  toJSON: () => {
    throw new Error('toJSON');
  },
};

/** Every kind of value that is not an Error whose members are texts, and errors with unusual members. */
export const thrownValues: readonly ThrownValue[] = [
  { title: 'an Error whose message is a list', make: () => withMessage(['one', 'two']), text: '["one","two"]' },
  { title: 'an Error whose message is an object', make: () => withMessage({ en: 'no' }), text: '{"en":"no"}' },
  { title: 'an Error whose message is a number', make: () => withMessage(404), text: '404' },
  { title: 'an Error whose message is a bigint', make: () => withMessage(404n), text: '404' },
  { title: 'an Error whose message is undefined', make: () => withMessage(undefined), text: 'Error' },
  { title: 'an Error whose message is null', make: () => withMessage(null), text: 'Error' },
  { title: 'an Error whose message is circular', make: () => withMessage(circular()), text: 'Error' },
  { title: 'an Error whose message is a Symbol', make: () => withMessage(Symbol('one')), text: 'Symbol(one)' },
  { title: 'an Error whose message throws as text', make: () => withMessage(throwingToString), text: 'Error' },
  { title: 'an Error whose message is a revoked Proxy', make: () => withMessage(revoked()), text: 'Error' },
  { title: 'an Error whose message cannot be read', make: () => throwing('message', new Error('a')), text: 'Error' },
  { title: 'an Error whose name is an object', make: () => Object.assign(new Error('a'), { name: {} }), text: 'a' },
  { title: 'an Error whose stack cannot be read', make: () => throwing('stack', new Error('a')), text: 'a' },
  { title: 'an Error whose stack is a list', make: () => Object.assign(new Error('a'), { stack: [1] }), text: 'a' },
  { title: 'an Error whose status cannot be read', make: () => throwing('status', new Error('a')), text: 'a' },
  { title: 'an Error whose code cannot be read', make: () => throwing('code', new Error('a')), text: 'a' },
  {
    title: 'an Error whose code throws as text',
    make: () => Object.assign(new Error('a'), { code: throwingToString }),
    text: 'a',
  },
  { title: 'an Error whose cause cannot be read', make: () => throwing('cause', new Error('a')), text: 'a' },
  { title: 'an Error whose cause is hostile', make: () => new Error('a', { cause: throwingProxy() }), text: 'a' },
  { title: 'an Error that is its own cause', make: circularCause, text: 'circular cause' },
  {
    title: 'an AggregateError whose errors are hostile',
    make: () => new AggregateError([throwingProxy(), revoked()], 'several'),
    text: 'several',
  },
  {
    title: 'an AggregateError without a list',
    make: () => Object.assign(new AggregateError([], 'a'), { errors: null }),
    text: 'a',
  },
  { title: 'a list', make: () => ['one'], text: 'object' },
  { title: 'an object', make: () => ({ secret: 'one' }), text: 'object' },
  { title: 'an object with a message', make: () => ({ message: 'the row is locked' }), text: 'the row is locked' },
  { title: 'a number', make: () => 42, text: '42' },
  { title: 'a bigint', make: () => 42n, text: '42' },
  { title: 'a text', make: () => 'no', text: 'no' },
  { title: 'an empty text', make: () => '', text: 'string' },
  { title: 'null', make: () => null, text: 'null' },
  { title: 'undefined', make: () => undefined, text: 'undefined' },
  { title: 'a Symbol', make: () => Symbol('one'), text: 'Symbol(one)' },
  { title: 'a function', make: () => () => 'one', text: 'function' },
  { title: 'an object without a prototype', make: (): unknown => Object.create(null), text: 'object' },
  { title: 'a Proxy whose traps throw', make: throwingProxy, text: 'object' },
  { title: 'a Proxy of an Error whose traps throw', make: () => throwingProxy(new Error('a')), text: 'object' },
  { title: 'a revoked Proxy', make: revoked, text: 'object' },
  { title: 'an object that throws as text', make: () => throwingToString, text: 'object' },
  { title: 'a circular object', make: circular, text: 'object' },
  { title: 'a text of a million characters', make: () => 'x'.repeat(1_000_000), text: 'x'.repeat(300) },
  {
    title: 'an Error with a message of a million characters',
    make: () => new Error('x'.repeat(1_000_000)),
    text: 'x'.repeat(300),
  },
  { title: 'a text with half a character', make: () => `${'x'.repeat(299)}😀`, text: `${'x'.repeat(299)}\uFFFD` },
  { title: 'a text with zero bytes', make: () => 'a\0b', text: 'ab' },
];
