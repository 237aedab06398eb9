// `npx pay-invoice-server` with its commands, without the widget's built files.
import process from 'node:process';
import { runServerProgram } from '../../src/standalone/command-line.ts';

const { WIDGET_FOLDER: widgetFolder = '', ...environment } = process.env;
await runServerProgram({ args: process.argv.slice(2), environment, widgetFolder, version: '0.0.0' });
