// Rendering on a server: importing it registers the tag there, and gives its template with a first picture inside.
import './pay-invoice.ts';

export { payInvoiceTemplate, type ServerTemplateOptions } from './view/ssr-template.ts';
