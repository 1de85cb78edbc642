import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from '../design/icon.tsx';
import { useTexts } from '../language/language.ts';
import type { RouteName } from './navigation.ts';
import { useServices } from './services.ts';
import { shellTexts } from './shell-texts.ts';

type Tab = 'tokens' | 'scan' | 'history' | 'settings';

const TABS: readonly Tab[] = ['tokens', 'scan', 'history', 'settings'];

/** The tab to which a screen belongs. */
const TAB_OF: Readonly<Record<RouteName, Tab>> = {
  tokens: 'tokens',
  token: 'tokens',
  scan: 'scan',
  code: 'scan',
  history: 'history',
  settings: 'settings',
  security: 'settings',
  backup: 'settings',
  about: 'settings',
};

/** Header and navigation around a screen. A locked app has neither lock button nor navigation. */
export function Frame({ isOpen, children }: { isOpen: boolean; children: ComponentChildren }): JSX.Element {
  const { vault } = useServices();
  const texts = useTexts(shellTexts);
  return (
    <>
      <header class="header">
        <div class="brand">
          <Mark />
          <span>Tankeeper</span>
        </div>
        {isOpen && (
          <button
            class="icon-button"
            type="button"
            onClick={() => {
              vault.lock();
            }}
          >
            <Icon name="lock" />
            {texts.lock}
          </button>
        )}
      </header>
      {children}
      {isOpen && <TabBar />}
    </>
  );
}

function TabBar(): JSX.Element {
  const { navigation } = useServices();
  const texts = useTexts(shellTexts);
  return (
    <nav class="navigation" aria-label={texts.navigation}>
      <ul>
        {TABS.map((tab) => (
          <li key={tab}>
            <button
              class="navigation-item"
              type="button"
              aria-current={TAB_OF[navigation.current.name] === tab ? 'page' : undefined}
              onClick={() => {
                navigation.go({ name: tab });
              }}
            >
              <Icon name={tab satisfies IconName} />
              {texts[tab]}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The mark of the app: the corners of a QR code around a keyhole, as scripts/draw-app-icons.js draws it. */
function Mark(): JSX.Element {
  return (
    <svg viewBox="0 0 64 64" aria-hidden="true">
      <rect width="64" height="64" rx="14" fill="#0b57a4" />
      <path
        d="M14 26V14h12M38 14h12v12M50 38v12H38M26 50H14V38"
        fill="none"
        stroke="#fff"
        stroke-width="5"
        stroke-linecap="square"
      />
      <circle cx="32" cy="28" r="7" fill="#fff" />
      <path d="M32 28l6 16H26z" fill="#fff" />
    </svg>
  );
}
