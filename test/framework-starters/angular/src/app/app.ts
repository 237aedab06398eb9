import { Component, signal } from '@angular/core';
import { Checkout } from './checkout';

@Component({
  selector: 'app-root',
  imports: [Checkout],
  template: `<p>{{ message() }}</p>
    <app-checkout [id]="id" (paid)="message.set('Paid ' + $event)" />`,
})
export class App {
  readonly id = new URLSearchParams(location.search).get('checkout') ?? '';
  readonly message = signal('');
}
