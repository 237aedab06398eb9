/**
 * The script of a pay page that shops may frame. Inside a frame it tells the page around it, at those origins alone, how high the page is and
 * what has become of the payment: `{ source: 'pay-invoice', type: 'ready' | 'height' | 'paid' | 'failed' | 'expired', height? }`. The
 * height, in CSS pixels, is that of the content, so that the frame also gets lower again.
 *
 * A page whose origin the frame's sandbox has taken may read no status: it stays as it is without the widget, with the frame that follows
 * the status. A link of the markup that leaves the frame opens a tab where the sandbox forbids that, and where it forbids both, it
 * leads to a page that says so.
 */
export const frameScript = (origins: readonly string[]): string =>
  `
const parents=location.ancestorOrigins??[];
const targets=${JSON.stringify(origins)}.filter(origin=>!parents.length||origin===parents[0]);
const tell=message=>targets.forEach(origin=>parent.postMessage({source:'pay-invoice',...message},origin));
if(parent!==window){
const markup=document.querySelector('[slot=markup]:has(iframe)');
if(origin==='null')markup?.parentNode.replaceWith(markup);
addEventListener('click',event=>{
const link=event.target.closest('[target=_top]');
if(!link||event.ctrlKey||event.metaKey||event.shiftKey)return;
event.preventDefault();
try{top.location=link.href}catch{
const tab=open(link.href);
if(tab)tab.opener=null;else location='?in-frame=1'}
});
for(const type of ['ready','paid','failed','expired'])addEventListener('pay-invoice-'+type,()=>tell({type}));
document.querySelector('main').style.minHeight=0;
new ResizeObserver(()=>tell({type:'height',height:document.body.offsetHeight})).observe(document.body);
}`.replaceAll('\n', '');
