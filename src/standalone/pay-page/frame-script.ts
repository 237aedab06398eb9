/**
 * The script of a pay page that shops may frame. Inside a frame it tells the page around it, at those origins alone, how high the page is and
 * what has become of the payment: `{ source: 'pay-invoice', type: 'ready' | 'height' | 'paid' | 'failed' | 'expired', height? }`. The
 * height, in CSS pixels, is that of the content, so that the frame also gets lower again.
 *
 * A page whose origin the frame's sandbox has taken may read no status and request no invoice: it stays as it is without the widget, with the
 * frame that follows the status, and its forms lead to a page that says why it cannot pay. A link of the markup that leaves the frame
 * opens a tab where the sandbox forbids that, and where it forbids both, it leads there, too.
 */
export const frameScript = (origins: readonly string[]): string =>
  `
const parents=location.ancestorOrigins??[];
const targets=${JSON.stringify(origins)}.filter(origin=>!parents.length||origin===parents[0]);
const tell=message=>targets.forEach(origin=>parent.postMessage({source:'pay-invoice',...message},origin));
if(parent!==window){
const isAlone=origin==='null';
const markup=document.querySelector('[slot=markup]:has(iframe,form)');
if(isAlone)markup?.parentNode.replaceWith(markup);
const refuse=()=>{location='?in-frame=1'};
addEventListener('click',event=>{
if(isAlone&&event.target.closest('form button')){event.preventDefault();refuse()}
const link=event.target.closest('[target=_top]');
if(!link||event.ctrlKey||event.metaKey||event.shiftKey)return;
event.preventDefault();
try{top.location=link.href}catch{
const tab=open(link.href);
if(tab)tab.opener=null;else refuse()}
});
for(const type of ['ready','paid','failed','expired'])addEventListener('pay-invoice-'+type,()=>tell({type}));
document.querySelector('main').style.minHeight=0;
new ResizeObserver(()=>tell({type:'height',height:document.body.offsetHeight})).observe(document.body);
}`.replaceAll('\n', '');
