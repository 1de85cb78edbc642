import type { JSX } from 'preact';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { BackToSettings } from './back-to-settings.tsx';
import { settingsTexts } from './settings-texts.ts';

/** The purpose of this app, and its use of data. */
export function AboutScreen(): JSX.Element {
  const texts = useTexts(settingsTexts);
  return (
    <Screen title={texts.about}>
      <BackToSettings />
      <p class="screen-text">{texts.aboutWhat}</p>
      <p class="screen-text">{texts.aboutPrivacy}</p>
      <p class="muted">
        {texts.aboutVersion} {__APP_VERSION__}
        <br />
        {texts.aboutLicence}
      </p>
    </Screen>
  );
}
