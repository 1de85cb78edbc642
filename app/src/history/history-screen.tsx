import type { JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { inspectDisplayText } from '../../../src/device/display-text.ts';
import { Icon, type IconName } from '../design/icon.tsx';
import { Screen } from '../design/screen.tsx';
import { LanguageContext, useTexts } from '../language/language.ts';
import { timeText } from '../language/time-text.ts';
import { LoadedContent } from '../shell/loaded-content.tsx';
import { useLoaded, useServices } from '../shell/services.ts';
import type { HistoryEntry, HistoryOutcome } from '../vault/vault.ts';
import { historyTexts } from './history-texts.ts';

function iconOf(outcome: HistoryOutcome): IconName {
  return outcome === 'shown' || outcome.endsWith('unknown')
    ? 'unknown'
    : outcome === 'accepted'
      ? 'accepted'
      : 'refused';
}

/** The challenges that were answered or declined on this phone, the newest first. */
export function HistoryScreen(): JSX.Element {
  const { vault } = useServices();
  const texts = useTexts(historyTexts);
  const history = useLoaded(() => vault.listHistory(), [vault]);
  return (
    <Screen title={texts.title}>
      <LoadedContent loaded={history}>
        {(entries) =>
          entries.length === 0 ? (
            <p class="screen-text muted">{texts.empty}</p>
          ) : (
            <ol class="rows">
              {entries.map((entry) => (
                <li key={entry.id}>
                  <Entry entry={entry} />
                </li>
              ))}
            </ol>
          )
        }
      </LoadedContent>
    </Screen>
  );
}

function Entry({ entry }: { entry: HistoryEntry }): JSX.Element {
  const texts = useTexts(historyTexts);
  const language = useContext(LanguageContext);
  const { message, outcome, at, callbackUrl } = entry;
  const host = hostOf(callbackUrl);
  return (
    <div class="row">
      <span class={`outcome-${outcome}`}>
        <Icon name={iconOf(outcome)} />
      </span>
      <span class="row-body">
        <bdi class="row-title">{message === '' ? texts.noText : faithfulText(message)}</bdi>
        <span class="row-note">
          {texts.outcomes[outcome]}
          {host !== '' && ` · ${host}`}
        </span>
        <time class="row-note" dateTime={new Date(at).toISOString()}>
          {timeText(language, at)}
        </time>
      </span>
    </div>
  );
}

/** @returns the host of an address; empty where there is none. Browsers of early 2023 have no `URL.canParse` */
function hostOf(address: string): string {
  try {
    return new URL(address).host;
  } catch {
    return '';
  }
}

/** @returns the text with the names of its controls and invisible characters in their places */
function faithfulText(message: string): string {
  return inspectDisplayText(message)
    .segments.map(({ text, name }) => (name === '' ? text : `[${name}]`))
    .join('');
}
