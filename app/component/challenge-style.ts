/**
 * Takes colours and fonts of the portal's page, light or dark; custom properties change the rest. A constructed sheet, as
 * a Content-Security-Policy may forbid `<style>`.
 */
export function challengeStyle(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(CSS);
  return sheet;
}

const CSS = `
  :host { display: block; max-inline-size: var(--tankeeper-width, 26rem); }
  :host([hidden]), [hidden] { display: none !important; }
  section { display: grid; gap: var(--tankeeper-gap, 1rem); }
  p { margin: 0; }
  .code { inline-size: min(100%, var(--tankeeper-code-size, 26rem)); background: #fff; }
  .code > * { display: block; inline-size: 100%; block-size: auto; }
  a { color: inherit; }
  form { display: flex; flex-wrap: wrap; gap: 0.5rem; }
  label { flex-basis: 100%; }
  input, button {
    box-sizing: border-box; min-block-size: 2.75rem; padding: 0.5rem 0.75rem; font: inherit;
    border: 1px solid var(--tankeeper-border, currentColor); border-radius: var(--tankeeper-radius, 0.375rem);
  }
  input { flex: 1 1 8rem; min-inline-size: 0; background: Field; color: FieldText; letter-spacing: 0.1em; }
  button {
    cursor: pointer; background: var(--tankeeper-accent, ButtonFace);
    color: var(--tankeeper-accent-text, ButtonText);
  }
  button:disabled { cursor: default; opacity: 0.6; }
  :focus-visible { outline: 3px solid var(--tankeeper-focus, Highlight); outline-offset: 2px; }
  .state { font-weight: 600; min-block-size: 1.5em; }
`;
