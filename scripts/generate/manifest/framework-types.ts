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

/** React 19: properties by their names, listeners as `onpay-invoice-paid`. */
export function reactTypes(contract: Contract): string {
  return `${headerComment}import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { ${contract.name} } from '../lib/element.js';

${formatInterface(contract, (event) => `on${event}`)}
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      '${contract.tagName}': DetailedHTMLProps<HTMLAttributes<${contract.name}>, ${contract.name}> & PayInvoiceProps;
    }
  }
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
