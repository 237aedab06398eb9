// The types of the tag for React, Vue and Svelte. The manifest's integrations are not used: with @wc-toolkit/jsx-types 1.8 a ref of
// React's useRef does not compile and events are `any`; those for Vue and Svelte type events as CustomEvent, and are for Svelte 4.
import { settableFields, type Contract } from './read-manifest.ts';

const headerComment = '// Made from the JSDoc of the element by scripts/generate/editor-and-framework-types.ts.\n';

const formatComment = (description: string): string => `  /** ${description} */\n`;

/** The properties and attributes, as members of an interface; `lang` is every element's own. */
function formatProps(contract: Contract): string {
  const settableProperties = settableFields(contract);
  const propertyMembers = settableProperties.map(
    ({ name, description }) => `${formatComment(description)}  ${name}?: ${contract.name}['${name}'] | undefined;\n`,
  );
  const attributeMembers = contract.attributes
    .filter(({ name, fieldName }) => fieldName !== undefined && name !== fieldName)
    .map(({ name, fieldName = '', description }) => `${formatComment(description)}  '${name}'?: ${contract.name}['${fieldName}'] | undefined;\n`); // prettier-ignore
  return [...propertyMembers, ...attributeMembers].join('');
}

/** The listeners, as members of an interface; `nameOf` returns a framework's name of an event. */
function formatListeners({ events }: Contract, toListenerName: (event: string) => string): string {
  return events
    .map(
      ({ name, description }) =>
        `${formatComment(description)}  '${toListenerName(name)}'?: ((event: HTMLElementEventMap['${name}']) => void) | undefined;\n`,
    )
    .join('');
}

const formatInterface = (contract: Contract, toListenerName: (event: string) => string): string =>
  `/** The properties and events of \`<${contract.tagName}>\`. */
export interface PayInvoiceProps {
${formatProps(contract)}${formatListeners(contract, toListenerName)}}
`;

/** React 19: properties by their names, listeners as `onpay-invoice-paid`; the tag itself and the component. */
export function reactTypes(contract: Contract): string {
  return `${headerComment}import type { DetailedHTMLProps, HTMLAttributes, JSX } from 'react';
import type { ${contract.name} } from '../lib/element.js';

${formatInterface(contract, (event) => `on${event}`)}
/** The tag as a component, which has its properties and events also where a server has rendered it. It loads the element. */
export declare function PayInvoice(props: JSX.IntrinsicElements['${contract.tagName}']): JSX.Element;

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      '${contract.tagName}': DetailedHTMLProps<HTMLAttributes<${contract.name}>, ${contract.name}> & PayInvoiceProps;
    }
  }
}
`;
}

/**
 * The component for React 19. When React hydrates a custom element, it sets no property and adds no listener for an event of its
 * own. The component does both, before it loads the element, so that no event is lost.
 */
export function reactComponent(contract: Contract): string {
  const fields = settableFields(contract);
  const attributes = fields.flatMap(({ name, attribute }) => (attribute === undefined ? [] : [[name, attribute]]));
  const properties = fields.filter(({ attribute }) => attribute === undefined).map(({ name }) => name);
  const events = contract.events.map(({ name }) => name);
  return `'use client';
${headerComment}import { createElement, useImperativeHandle, useLayoutEffect, useRef } from 'react';

/** Attributes are in the markup of a server; by the names of their properties. */
const attributes = ${JSON.stringify(Object.fromEntries(attributes))};
const properties = ${JSON.stringify(properties)};
const events = ${JSON.stringify(events)};
const own = new Set([...properties, ...events.map((name) => \`on\${name}\`)]);

export function PayInvoice({ ref, ...props }) {
  const element = useRef(null);
  const handlers = useRef(props);
  useImperativeHandle(ref, () => element.current, []);
  useLayoutEffect(() => {
    handlers.current = props;
    for (const name of properties) if (element.current[name] !== props[name]) element.current[name] = props[name];
  });
  useLayoutEffect(() => {
    const { current } = element;
    const listener = (event) => handlers.current[\`on\${event.type}\`]?.(event);
    for (const name of events) current.addEventListener(name, listener);
    void import('../lib/pay-invoice.js');
    return () => {
      for (const name of events) current.removeEventListener(name, listener);
    };
  }, []);
  const tagProps = Object.entries(props).flatMap(([name, value]) => (own.has(name) ? [] : [[attributes[name] ?? name, value]]));
  return createElement('${contract.tagName}', { ...Object.fromEntries(tagProps), ref: element });
}
`;
}

/** Vue 3: a global component; \`@pay-invoice-paid\` is the prop \`onPayInvoicePaid\`. */
export function vueTypes(contract: Contract): string {
  const toCamelCase = (event: string): string =>
    `-${event}`.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return `${headerComment}import type { HTMLAttributes, PublicProps } from 'vue';
import type { ${contract.name} } from '../lib/element.js';

${formatInterface(contract, (event) => `on${toCamelCase(event)}`)}
declare module 'vue' {
  interface GlobalComponents {
    '${contract.tagName}': new () => { $props: PublicProps & HTMLAttributes & PayInvoiceProps };
  }
}
`;
}

/** Svelte 5: listeners as \`onpay-invoice-paid\`. */
export function svelteTypes(contract: Contract): string {
  return `${headerComment}import type { HTMLAttributes } from 'svelte/elements';
import type { ${contract.name} } from '../lib/element.js';

${formatInterface(contract, (event) => `on${event}`)}
declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    '${contract.tagName}': HTMLAttributes<${contract.name}> & PayInvoiceProps;
  }
}
`;
}
