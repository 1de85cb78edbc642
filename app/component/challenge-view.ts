import { challengeStyle } from './challenge-style.ts';
import { CHALLENGE_TEXTS, type ChallengeLanguage } from './challenge-texts.ts';

export type Notice = Exclude<
  keyof (typeof CHALLENGE_TEXTS)['en'],
  'scan' | 'code' | 'openApp' | 'digits' | 'confirm'
>;

/** The content of a view while the challenge is open. */
export interface OpenChallengeContent {
  readonly language: ChallengeLanguage;
  /** The picture of the code; undefined if it cannot be shown. */
  readonly code: Element | undefined;
  /** The link that opens the challenge in the app; undefined without one. */
  readonly appLink: string | undefined;
  /** True if digits can be typed. */
  readonly takesDigits: boolean;
}

/** The shadow tree of the component. */
export class ChallengeView {
  readonly #section = element('section', { part: 'challenge' });
  readonly #scan = element('p', { part: 'instruction' });
  readonly #code = element('div', { part: 'code', class: 'code' });
  readonly #link = element('a', { part: 'app-link', rel: 'noreferrer', target: '_blank' });
  readonly #form = element('form', { part: 'form' });
  readonly #label = element('label', { part: 'label', for: 'digits' });
  readonly #input = element('input', {
    part: 'input',
    id: 'digits',
    required: '',
    maxlength: '100',
    inputmode: 'numeric',
    autocomplete: 'one-time-code',
    spellcheck: 'false',
  });
  readonly #button = element('button', { part: 'button', type: 'submit' });
  readonly #state = element('p', { part: 'state', class: 'state', role: 'status' });
  #texts = CHALLENGE_TEXTS.en;

  /** @param onDigits receives what the user typed, without blanks */
  constructor(root: ShadowRoot, onDigits: (digits: string) => void) {
    root.adoptedStyleSheets = [challengeStyle()];
    this.#form.append(this.#label, this.#input, this.#button);
    this.#section.append(this.#scan, this.#code, this.#link, this.#form, this.#state);
    root.append(this.#section);
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      const digits = this.#input.value.replace(/\s/g, '');
      if (digits !== '') {
        onDigits(digits);
      }
    });
  }

  /** Shows an open challenge. */
  open({ language, code, appLink, takesDigits }: OpenChallengeContent): void {
    const texts = CHALLENGE_TEXTS[language];
    this.#texts = texts;
    this.#section.lang = language;
    this.#scan.textContent = texts.scan;
    this.#code.replaceChildren(...(code === undefined ? [] : [code]));
    if (code !== undefined) {
      code.setAttribute('role', 'img');
      code.setAttribute('aria-label', texts.code);
    }
    this.#link.textContent = texts.openApp;
    if (appLink !== undefined) {
      this.#link.href = appLink;
    }
    this.#label.textContent = texts.digits;
    this.#button.textContent = texts.confirm;
    this.#scan.hidden = code === undefined;
    this.#code.hidden = code === undefined;
    this.#link.hidden = appLink === undefined;
    this.#form.hidden = !takesDigits;
    this.#input.value = '';
    this.checking(false);
    this.say(code === undefined ? 'noCode' : takesDigits ? 'waiting' : undefined);
  }

  /** Announces the state. */
  say(notice: Notice | undefined): void {
    this.#state.textContent = notice === undefined ? '' : this.#texts[notice];
  }

  /** Shows whether typed digits are under way. */
  checking(isUnderWay: boolean): void {
    this.#button.disabled = isUnderWay;
  }

  /** Lets the user type again. */
  clearDigits(): void {
    this.#input.value = '';
    this.#input.focus();
  }

  /** Leaves the state only. */
  close(notice: Notice): void {
    for (const part of [this.#scan, this.#code, this.#link, this.#form]) {
      part.hidden = true;
    }
    // Neither the code nor the digits are of use any more.
    this.#code.replaceChildren();
    this.#link.removeAttribute('href');
    this.#input.value = '';
    this.say(notice);
  }
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    made.setAttribute(attribute, value);
  }
  return made;
}
