import { assert } from '@open-wc/testing';
import type { ReactiveControllerHost } from 'lit';
import { CreatingTime } from '../../src/view/controllers/creating-time.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { find, mountState, textOf, until } from './widget-from-source.ts';

const host: ReactiveControllerHost = {
  updateComplete: Promise.resolve(true),
  addController: () => undefined,
  removeController: () => undefined,
  requestUpdate: () => undefined,
};

describe('the time that an invoice has been created', () => {
  it('is told every ten seconds, and no more once there is one', () => {
    const clock = new FakeClock();
    let isCreating = true;
    const time = new CreatingTime(host, clock, () => isCreating);
    time.hostUpdate();
    const told: number[] = [];
    for (let seconds = 0; seconds < 30; seconds += 5) {
      clock.tick(5000);
      time.hostUpdate();
      told.push(time.elapsedMs / 1000);
    }
    assert.deepEqual(told, [0, 10, 10, 20, 20, 30]);
    isCreating = false;
    time.hostUpdate();
    assert.deepEqual([time.elapsedMs, clock.pending], [0, 0]);
  });

  it('has its place on the screen before it is told, and nothing else moves', async () => {
    const widget = await mountState('creating', 'en');
    const place = await until('the screen', () => widget.shadowRoot?.querySelector('[part=outcome] ~ .checked'));
    assert.equal(textOf(place), '');
    const { height } = find(widget, '.screen', HTMLElement).getBoundingClientRect();
    place.append('Waiting for 0:10');
    assert.equal(find(widget, '.screen', HTMLElement).getBoundingClientRect().height, height);
  });
});
