import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colourDeclarations } from '../../src/base/page-colours.ts';
import { widgetColours } from '../../src/base/widget-colours.ts';
import { styles } from '../../src/operator-page/styles.ts';
import { pageStyle } from '../../src/standalone/pay-page/page-style.ts';
import { bankStyle } from '../../src/tools/sandbox/bank/style.ts';
import { customPropertyStyles } from '../../src/view/styles/custom-properties.styles.ts';

for (const [name, light, dark] of widgetColours)
  test(`the widget, the pay page, the operator’s page and the bank have one ${name}`, () => {
    const inBothThemes = `light-dark(${light}, ${dark})`;
    assert.ok(customPropertyStyles.cssText.includes(`var(--pay-invoice-${name}, ${inBothThemes})`));
    for (const sheet of [bankStyle, styles.cssText]) {
      assert.ok(sheet.includes(colourDeclarations));
      assert.equal(sheet.split(`--${name}: light-dark(`).length, 2, 'it is declared once');
    }
    for (const value of [light, dark]) assert.ok(pageStyle().includes(`--${name}:${value}`));
  });
