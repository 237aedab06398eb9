import { Component, signal } from '@angular/core';
import { Checkout } from './checkout';

@Component({
  selector: 'app-root',
  imports: [Checkout],
  template: `<p>{{ said() }}</p>
    <app-checkout [id]="id" (paid)="said.set('Paid ' + $event)" />`,
})
export class App {
  readonly id = new URLSearchParams(location.search).get('checkout') ?? '';
  readonly said = signal('');
}
