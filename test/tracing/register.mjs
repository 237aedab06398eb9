// Loaded by `node --import` before a program: the instrumentations of http, undici and pg as OpenTelemetry's documents start them,
// and a provider that prints each ended span as a line.
import { register } from 'node:module';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);

const printingExporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext();
      const line = {
        name: span.name,
        kind: span.kind,
        traceId,
        spanId,
        parentId: span.parentSpanContext?.spanId ?? null,
      };
      process.stdout.write(`SPAN ${JSON.stringify({ ...line, attributes: span.attributes })}\n`);
    }
    done({ code: 0 });
  },
  shutdown: () => Promise.resolve(),
};

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(printingExporter)] }));
registerInstrumentations({
  instrumentations: [new HttpInstrumentation(), new UndiciInstrumentation(), new PgInstrumentation()],
});
