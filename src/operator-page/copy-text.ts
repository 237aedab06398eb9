/**
 * Copies a text. Where the browser refuses it, as on a page without TLS, the text is selected where it stands on the page, its
 * field with the focus, so that it can be copied by hand. Resolves with whether it was copied.
 */
export async function copyText(page: ParentNode, text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const shown = [...page.querySelectorAll('input[readonly], dd bdi')];
    for (const element of shown)
      if (element instanceof HTMLInputElement && element.value === text) {
        element.focus();
        element.select();
      } else if (element.textContent === text) getSelection()?.selectAllChildren(element);
    return false;
  }
}
