import { options } from 'preact';

/** The events of which one may act on what another one before it has changed. */
const EVENTS = ['input', 'change', 'keydown', 'click', 'submit'];

/**
 * Lets every event find what the events before it have changed, as React does: Preact draws after the task, and runs
 * effects after the next frame. Password managers fill and submit in one task, and fast keys come within a frame:
 * handlers, and what effects hand on (as the functions of mutations), would still hold the values before.
 */
export function keepEventsInOrder(): void {
  let draw = (): void => undefined;
  let runEffects = draw;
  let isWorking = false;
  // An event may come out of the work itself, as of a field that is removed.
  const alone = (work: () => void) => () => {
    if (!isWorking) {
      isWorking = true;
      try {
        work();
      } finally {
        isWorking = false;
      }
    }
  };
  options.debounceRendering = (process) => {
    draw = process;
    queueMicrotask(alone(process));
  };
  options.requestAnimationFrame = (flush) => {
    runEffects = flush;
    setTimeout(alone(flush));
  };
  const catchUp = alone(() => {
    draw();
    runEffects();
    draw();
  });
  tellOfFilledFields();
  for (const type of EVENTS) {
    addEventListener(type, catchUp, { capture: true });
    addEventListener(type, catchUp);
  }
}

/** Some password managers fill fields without an event: a form that is sent tells of those first. */
function tellOfFilledFields(): void {
  const told = new WeakMap<EventTarget, string>();
  const isText = (field: unknown): field is HTMLInputElement | HTMLTextAreaElement =>
    field instanceof HTMLTextAreaElement ||
    (field instanceof HTMLInputElement && !NO_TEXT.includes(field.type));
  addEventListener(
    'input',
    ({ target }) => {
      if (isText(target)) {
        told.set(target, target.value);
      }
    },
    { capture: true },
  );
  addEventListener(
    'submit',
    ({ target }) => {
      const fields = target instanceof HTMLFormElement ? [...target.elements] : [];
      const filled = fields.filter(isText).filter((field) => field.value !== (told.get(field) ?? ''));
      // Telling of one draws the others as they were.
      for (const { field, value } of filled.map((field) => ({ field, value: field.value }))) {
        field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true }));
      }
    },
    { capture: true },
  );
}

const NO_TEXT = ['checkbox', 'radio', 'file', 'hidden', 'submit', 'button'];
