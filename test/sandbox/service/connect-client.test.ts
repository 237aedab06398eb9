import assert from 'node:assert/strict';
import {
  create,
  createFileRegistry,
  fromJson,
  toJson,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  type JsonObject,
} from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  file_google_protobuf_duration,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
} from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { describe, it, type TestContext } from 'node:test';
import { z } from 'zod';
import { systemClock } from '../../../src/base/clock.ts';
import { createSandbox } from '../../../src/tools/sandbox/create-sandbox.ts';

// The messages of the service as in a .proto file: `name: type` for each field; `type?` is optional, `type[]` is repeated.
const messages = {
  Sbp: { holder_name: 'string', phone: 'string', account: 'string' },
  Card: { holder_name: 'string', card_number: 'string', account: 'string' },
  BankTransfer: { holder_name: 'string', bik: 'string', account: 'string' },
  Bank: { id: 'string', code: 'string', name: 'string' },
  Limits: { min_amount: 'string', max_amount: 'string' },
  BankOption: { code: 'string', name: 'string', available: 'bool', limits: '.invoice.v1.Limits' },
  PaymentOption: {
    id: 'string',
    code: 'string',
    type: 'string',
    name: 'string',
    available: 'bool',
    limits: '.invoice.v1.Limits',
    banks: '.invoice.v1.BankOption[]',
  },
  UrlConfig: { hook_url: 'string?', fail_url: 'string?', success_url: 'string?' },
  Qr: { generate: 'bool?', timeout: '.google.protobuf.Duration' },
  CreateInvoiceRequest: {
    amount: 'string?',
    external_id: 'string?',
    payment_method_id: 'string?',
    mode: 'string?',
    url_config: '.invoice.v1.UrlConfig',
    metadata: '.google.protobuf.Struct',
    qr: '.invoice.v1.Qr',
  },
  CreateInvoiceResponse: {
    id: 'string',
    user_id: 'string',
    external_id: 'string',
    payment_url: 'string',
    amount: 'string',
    expires_at: '.google.protobuf.Timestamp',
    sbp: '.invoice.v1.Sbp',
    card: '.invoice.v1.Card',
    bank_transfer: '.invoice.v1.BankTransfer',
    bank: '.invoice.v1.Bank',
    nspk_url: 'string?',
  },
  Invoice: {
    id: 'string',
    merchant_id: 'string',
    external_id: 'string?',
    payment_url: 'string',
    amount: 'string',
    status: 'string',
    metadata: '.google.protobuf.Struct',
    created_at: '.google.protobuf.Timestamp',
    expires_at: '.google.protobuf.Timestamp',
    bank: '.invoice.v1.Bank',
    payment_method_id: 'string?',
  },
  FetchPaymentOptionsRequest: { amount: 'string?' },
  FetchPaymentOptionsResponse: { options: '.invoice.v1.PaymentOption[]' },
  FetchInvoicesRequest: { ids: 'string[]' },
  FetchInvoicesResponse: { invoices: '.invoice.v1.Invoice[]' },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

const operations = ['CreateInvoice', 'FetchPaymentOptions', 'FetchInvoices'] as const;

function describeService(): DescService {
  const file = create(FileDescriptorProtoSchema, {
    name: 'invoice/v1/invoice.proto',
    package: 'invoice.v1',
    syntax: 'proto3',
    dependency: ['duration', 'struct', 'timestamp'].map((name) => `google/protobuf/${name}.proto`),
    messageType: Object.entries(messages).map(([name, fields]) => {
      const optionalFields = Object.entries(fields).filter(([, type]) => type.endsWith('?'));
      return {
        name,
        oneofDecl: optionalFields.map(([field]) => ({ name: `_${field}` })),
        field: Object.entries(fields).map(([field, type], index) => {
          const kind = type.replace(/\?|\[\]/, '');
          const oneof = optionalFields.findIndex(([candidate]) => candidate === field);
          return {
            name: field,
            jsonName: field,
            number: index + 1,
            label: type.endsWith('[]') ? Label.REPEATED : Label.OPTIONAL,
            type: kind === 'string' ? Type.STRING : kind === 'bool' ? Type.BOOL : Type.MESSAGE,
            ...(kind.startsWith('.') && { typeName: kind }),
            ...(oneof >= 0 && { proto3Optional: true, oneofIndex: oneof }),
          };
        }),
      };
    }),
    service: [
      {
        name: 'PubInvoiceService',
        method: operations.map((name) => ({
          name,
          inputType: `.invoice.v1.${name}Request`,
          outputType: `.invoice.v1.${name}Response`,
        })),
      },
    ],
  });
  const wellKnownFiles = [file_google_protobuf_duration, file_google_protobuf_struct, file_google_protobuf_timestamp];
  const fileSet = create(FileDescriptorSetSchema, { file: [...wellKnownFiles.map(({ proto }) => proto), file] });
  const service = createFileRegistry(fileSet).getService('invoice.v1.PubInvoiceService');
  assert.ok(service);
  return service;
}

const service = describeService();

class ConnectClient {
  readonly #transport: Transport;
  readonly #token: string;

  constructor(url: string, token = 'test-token') {
    this.#transport = createConnectTransport({
      baseUrl: `${url}/api/public`,
      httpVersion: '1.1',
      useBinaryFormat: false,
      jsonOptions: { useProtoFieldName: true, ignoreUnknownFields: false },
    });
    this.#token = token;
  }

  /** Calls an operation. The request and the response are messages in the JSON form of protobuf. */
  async call(operation: (typeof operations)[number], request: JsonObject): Promise<unknown> {
    const method = service.methods.find(({ name }) => name === operation);
    assert.ok(method !== undefined && isUnary(method));
    const header = { authorization: `Bearer ${this.#token}` };
    const input = fromJson(method.input, request);
    const { message } = await this.#transport.unary(method, undefined, 5000, header, input);
    return toJson(method.output, message, { useProtoFieldName: true });
  }
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === 'unary';
}

async function listen(t: TestContext): Promise<string> {
  const sandbox = createSandbox({
    token: 'test-token',
    clock: { ...systemClock, now: () => Date.UTC(2026, 10, 20, 10) },
  });
  t.after(() => sandbox.close());
  return (await sandbox.listen({ port: 0, host: '127.0.0.1' })).url;
}

async function catchConnectError(
  response: Promise<unknown>,
): Promise<{ readonly code: Code; readonly message: string }> {
  const error: unknown = await response.then(
    () => assert.fail('the call succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ConnectError);
  return { code: error.code, message: error.rawMessage };
}

describe('a client of the Connect RPC protocol', () => {
  it('creates an invoice and fetches it, with every field', async (t) => {
    const url = await listen(t);
    const client = new ConnectClient(url);
    const metadata = { cart: [1, null, { a: 'b' }] };
    const created = z.looseObject({ id: z.string() }).parse(
      await client.call('CreateInvoice', {
        amount: '1500.00',
        external_id: 'order-1',
        payment_method_id: 'pm_sbp',
        mode: 'TEST',
        url_config: { success_url: 'https://shop.test/ok' },
        metadata,
        qr: { generate: true, timeout: '2.500s' },
      }),
    );
    const { id } = created;
    const { sbp, bank, nspk_url, ...otherMembers } = created;
    for (const part of [sbp, bank, nspk_url]) assert.notEqual(part, undefined);
    assert.deepEqual(otherMembers, {
      id,
      user_id: 'usr_sandbox0000000000001',
      external_id: 'order-1',
      payment_url: `${url}/pay/${id}`,
      amount: '1500.00',
      expires_at: '2026-11-20T10:15:00Z',
    });
    const fetched = z
      .object({ invoices: z.tuple([z.looseObject({ status: z.string(), metadata: z.unknown() })]) })
      .parse(await client.call('FetchInvoices', { ids: [id, 'inv_unknown'] }));
    assert.equal(fetched.invoices[0].status, 'PENDING');
    assert.deepEqual(fetched.invoices[0].metadata, metadata);
  });

  it('fetches the payment options for an amount', async (t) => {
    const client = new ConnectClient(await listen(t));
    const { options } = z
      .object({ options: z.array(z.looseObject({ code: z.string() })) })
      .parse(await client.call('FetchPaymentOptions', { amount: '150.00' }));
    assert.deepEqual(
      options.map(({ code }) => code),
      ['sbp', 'card'],
    );
  });

  it('receives each error with its Connect code and message', async (t) => {
    const url = await listen(t);
    const client = new ConnectClient(url);
    const cases = [
      [client.call('CreateInvoice', { amount: '-1' }), Code.InvalidArgument, /^amount: /],
      [client.call('CreateInvoice', { amount: '1', payment_method_id: 'pm_card' }), Code.OutOfRange, /^amount: /],
      [
        client.call('CreateInvoice', { amount: '1000', payment_method_id: 'pm_foreign_card' }),
        Code.FailedPrecondition,
        /^payment_method_id: /,
      ],
      [client.call('CreateInvoice', { amount: '1', qr: { generate: true, timeout: '0s' } }), Code.Internal, /^qr: /],
      [new ConnectClient(url, 'wrong').call('FetchInvoices', { ids: [] }), Code.Unauthenticated, /^authorization: /],
      [new ConnectClient(`${url}/elsewhere`).call('FetchInvoices', { ids: [] }), Code.NotFound, /./],
    ] as const;
    for (const [response, code, text] of cases) {
      const error = await catchConnectError(response);
      assert.equal(error.code, code, error.message);
      assert.match(error.message, text);
    }
  });
});
