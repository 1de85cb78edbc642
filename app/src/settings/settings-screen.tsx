import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Choice, Switch } from '../design/choice.tsx';
import { Icon } from '../design/icon.tsx';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { LoadedContent } from '../shell/loaded-content.tsx';
import { useChanges, useLoaded, useServices } from '../shell/services.ts';
import { settingsTexts } from './settings-texts.ts';

/** Language, appearance, which codes are taken, and the ways to the other settings. */
export function SettingsScreen(): JSX.Element {
  const { preferences } = useServices();
  const texts = useTexts(settingsTexts);
  useChanges(preferences);
  return (
    <Screen title={texts.title}>
      <Choice
        label={texts.language}
        value={preferences.languageChoice}
        options={[
          ['auto', texts.automatic],
          ['en', 'English'],
          ['de', 'Deutsch'],
        ]}
        onValue={(choice) => {
          preferences.chooseLanguage(choice);
        }}
      />
      <Choice
        label={texts.theme}
        value={preferences.theme}
        options={[
          ['system', texts.system],
          ['light', texts.light],
          ['dark', texts.dark],
        ]}
        onValue={(theme) => {
          preferences.chooseTheme(theme);
        }}
      />
      <CallbackSetting />
      <MoreSettings />
    </Screen>
  );
}

/** True if codes without an address for the response are refused. */
function CallbackSetting(): JSX.Element {
  const { vault } = useServices();
  const texts = useTexts(settingsTexts);
  // What was chosen is shown while it is stored.
  const [chosen, setChosen] = useState<boolean>();
  const [hasFailed, setFailed] = useState(false);
  const settings = useLoaded(() => vault.settings(), [vault]);
  const change = (allows: boolean): void => {
    setChosen(allows);
    setFailed(false);
    vault.changeSettings({ requireCallback: !allows }).catch(() => {
      setChosen(!allows);
      setFailed(true);
    });
  };
  return (
    <fieldset class="choice">
      <legend>{texts.codes}</legend>
      <LoadedContent loaded={settings}>
        {({ requireCallback }) => (
          <>
            <Switch label={texts.requireCallback} checked={chosen ?? !requireCallback} onChecked={change} />
            <p class="field-hint">{texts.requireCallbackHint}</p>
            {hasFailed && <Notice kind="error">{texts.failed}</Notice>}
          </>
        )}
      </LoadedContent>
    </fieldset>
  );
}

function MoreSettings(): JSX.Element {
  const { navigation } = useServices();
  const texts = useTexts(settingsTexts);
  return (
    <nav aria-label={texts.more}>
      <ul class="rows">
        {(['security', 'backup', 'about'] as const).map((name) => (
          <li key={name}>
            <button
              class="row"
              type="button"
              onClick={() => {
                navigation.go({ name });
              }}
            >
              <span class="row-body row-title">{texts[name]}</span>
              <Icon name="next" />
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
