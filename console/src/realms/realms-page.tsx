import { Badge, Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { call } from '../api/call.ts';
import { ConsequenceDialog } from '../consequences/consequence-dialog.tsx';
import { Card, Facts } from '../design/card.tsx';
import { DialogBoundary } from '../design/dialog.tsx';
import { LoadedCards } from '../design/loaded-cards.tsx';
import { Page } from '../design/page.tsx';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { RealmDialog } from './realm-dialog.tsx';
import { type ShownRealm, useRealms, useResolvers } from './realm-queries.ts';
import { realmTexts } from './realm-texts.ts';

/** The act that the caller is about to do. */
type Intent =
  | { readonly act: 'set'; readonly realm: ShownRealm | undefined }
  | { readonly act: 'remove' | 'default' | 'no-default'; readonly realm: ShownRealm };

/** Lists the realms, makes, changes and removes them. */
export default function RealmsPage(): ReactNode {
  const t = useTexts(realmTexts);
  const realms = useRealms();
  const mayChange = useSession().may('system', 'write');
  const [intent, setIntent] = useState<Intent>();
  const close = (): void => {
    setIntent(undefined);
  };
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        mayChange && (
          <Button
            onClick={() => {
              setIntent({ act: 'set', realm: undefined });
            }}
          >
            {t.add}
          </Button>
        )
      }
    >
      <LoadedCards label={t.title} query={realms} none={t.none}>
        {(realm) => <RealmCard key={realm.name} realm={realm} onIntent={mayChange ? setIntent : undefined} />}
      </LoadedCards>
      {intent !== undefined && (
        <DialogBoundary onClose={close}>
          <IntentDialog intent={intent} onEnd={close} />
        </DialogBoundary>
      )}
    </Page>
  );
}

interface RealmCardProps {
  readonly realm: ShownRealm;
  /** Undefined: the caller may not change realms. */
  readonly onIntent: ((intent: Intent) => void) | undefined;
}

function RealmCard({ realm, onIntent }: RealmCardProps): ReactNode {
  const t = useTexts(realmTexts);
  const button = (act: Intent['act'], label: string): ReactNode => (
    <Button
      variant="default"
      size="xs"
      aria-label={`${label}: ${realm.name}`}
      onClick={() => {
        onIntent?.({ act, realm });
      }}
    >
      {label}
    </Button>
  );
  return (
    <Card
      title={realm.name}
      badges={realm.is_default && <Badge variant="light">{t.isDefault}</Badge>}
      actions={
        onIntent && (
          <>
            {button('set', t.edit)}
            {realm.is_default ? button('no-default', t.noDefault) : button('default', t.makeDefault)}
            {button('remove', t.remove)}
          </>
        )
      }
    >
      <Facts facts={[[t.resolvers, realm.resolvers.join(', ')]]} />
    </Card>
  );
}

function IntentDialog({ intent, onEnd }: { readonly intent: Intent; readonly onEnd: () => void }): ReactNode {
  const t = useTexts(realmTexts);
  const resolvers = useResolvers();
  if (intent.act === 'set') {
    const names = (resolvers.data ?? []).map(({ name }) => name);
    return <RealmDialog realm={intent.realm} resolvers={names} onClose={onEnd} />;
  }
  const { act, realm } = intent;
  const { name } = realm;
  const dialogs = {
    remove: {
      title: t.removeTitle(name),
      text: t.removeText,
      action: t.remove,
      foresee: (signal: AbortSignal) => call('/admin/realm/remove/consequences', { name }, { signal }),
      act: () => call('/admin/realm/remove', { name }),
    },
    default: {
      title: t.defaultTitle(name),
      text: t.defaultText,
      action: t.makeDefault,
      foresee: (signal: AbortSignal) => call('/admin/realm/default/consequences', { name }, { signal }),
      act: () => call('/admin/realm/default', { name }),
    },
    'no-default': {
      title: t.noDefaultTitle,
      text: t.noDefaultText,
      action: t.noDefault,
      foresee: (signal: AbortSignal) => call('/admin/realm/no-default/consequences', {}, { signal }),
      act: () => call('/admin/realm/no-default'),
    },
  };
  const dialog = dialogs[act];
  return (
    <ConsequenceDialog
      title={dialog.title}
      action={dialog.action}
      isDangerous={act === 'remove'}
      of={['realm', act, realm.name]}
      foresee={dialog.foresee}
      act={dialog.act}
      changes={['realms']}
      onClose={onEnd}
    >
      {dialog.text}
    </ConsequenceDialog>
  );
}
