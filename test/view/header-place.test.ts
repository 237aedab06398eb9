import { assert } from '@open-wc/testing';
import { Backend } from './changeable-backend.ts';
import { find, mount } from './widget-from-source.ts';

const place = (element: Element): DOMRect => element.getBoundingClientRect();

describe('the header', () => {
  it('has the place of a logo before its picture has come', async () => {
    const widget = await mount(new Backend());
    const logo = Object.assign(document.createElement('img'), { slot: 'logo', alt: '' });
    widget.append(logo);
    const amount = find(widget, '[part=amount]', HTMLElement);
    const top = place(amount).top;
    const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60"/>';
    logo.src = `data:image/svg+xml,${encodeURIComponent(picture)}`;
    await logo.decode();
    assert.isAbove(place(logo).width, 0);
    assert.equal(place(amount).top, top);
  });
});
