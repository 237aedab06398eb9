// Rendering on a server: registers the tag there, and exports the template of a tag with a rendered checkout inside.
import './pay-invoice.ts';

export { payInvoiceTemplate, type ServerTemplateOptions } from './view/ssr-template.ts';
