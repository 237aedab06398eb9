/** The Russian texts of the dialog around the checkout. Other languages have them among their texts. */
export { default as dialogTexts } from '../locales/ru/dialog.json';
