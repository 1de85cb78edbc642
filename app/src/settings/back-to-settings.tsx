import type { JSX } from 'preact';
import { BackButton } from '../design/back-button.tsx';
import { useTexts } from '../language/language.ts';
import { useServices } from '../shell/services.ts';
import { settingsTexts } from './settings-texts.ts';

/** The way back from one of the screens of the settings. */
export function BackToSettings(): JSX.Element {
  const { navigation } = useServices();
  const texts = useTexts(settingsTexts);
  return (
    <BackButton
      text={texts.back}
      onPress={() => {
        navigation.back();
      }}
    />
  );
}
