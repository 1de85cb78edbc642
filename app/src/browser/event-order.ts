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
  for (const type of EVENTS) {
    addEventListener(type, catchUp, { capture: true });
    addEventListener(type, catchUp);
  }
}
