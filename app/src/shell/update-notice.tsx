import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useTexts } from '../language/language.ts';
import { watchForUpdates } from './app-update.ts';
import { shellTexts } from './shell-texts.ts';

/** Offers a new version of the app once it is loaded. */
export function UpdateNotice(): JSX.Element {
  const texts = useTexts(shellTexts);
  const [update, setUpdate] = useState<{ readonly install: () => void }>();
  useEffect(() => {
    if (import.meta.env.MODE === 'production') {
      // Without a service worker the app works, but not without a network.
      watchForUpdates((install) => {
        setUpdate({ install });
      }).catch(() => undefined);
    }
  }, []);
  return (
    <div role="status">
      {update !== undefined && (
        <div class="update">
          <span>{texts.update}</span>
          <button class="icon-button" type="button" onClick={update.install}>
            {texts.reload}
          </button>
        </div>
      )}
    </div>
  );
}
