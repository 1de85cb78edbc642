import { Badge, Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { call } from '../api/call.ts';
import { ConsequenceDialog } from '../consequences/consequence-dialog.tsx';
import { Card, Facts } from '../design/card.tsx';
import { DialogBoundary } from '../design/dialog.tsx';
import { LoadedCards } from '../design/loaded-cards.tsx';
import { Page } from '../design/page.tsx';
import { useTexts } from '../language/language.ts';
import { type ShownResolver, useRealms, useResolvers } from '../realms/realm-queries.ts';
import { useSession } from '../session/session.tsx';
import { resolverTexts } from './resolver-texts.ts';
import { settingTexts } from './setting-texts.ts';

/** Lists the resolvers with their realms. */
export default function ResolversPage(): ReactNode {
  const t = useTexts(resolverTexts);
  const resolvers = useResolvers();
  const realms = useRealms();
  const mayChange = useSession().may('system', 'write');
  const [removed, setRemoved] = useState<string>();
  const close = (): void => {
    setRemoved(undefined);
  };
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        mayChange && (
          <Button component="a" href="#/new-resolver">
            {t.add}
          </Button>
        )
      }
    >
      <LoadedCards label={t.title} query={resolvers} none={t.none}>
        {(resolver) => (
          <ResolverCard
            key={resolver.name}
            resolver={resolver}
            realms={(realms.data ?? [])
              .filter((realm) => realm.resolvers.includes(resolver.name))
              .map(({ name }) => name)}
            onRemove={mayChange ? setRemoved : undefined}
          />
        )}
      </LoadedCards>
      {removed !== undefined && (
        <DialogBoundary onClose={close}>
          <RemovalDialog name={removed} onEnd={close} />
        </DialogBoundary>
      )}
    </Page>
  );
}

function RemovalDialog({ name, onEnd }: { readonly name: string; readonly onEnd: () => void }): ReactNode {
  const t = useTexts(resolverTexts);
  return (
    <ConsequenceDialog
      title={t.removeTitle(name)}
      action={t.remove}
      of={['resolver', name]}
      foresee={(signal) => call('/admin/resolver/remove/consequences', { name }, { signal })}
      act={() => call('/admin/resolver/remove', { name })}
      changes={['resolvers']}
      onClose={onEnd}
    >
      {t.removeText}
    </ConsequenceDialog>
  );
}

interface ResolverCardProps {
  readonly resolver: ShownResolver;
  readonly realms: readonly string[];
  /** Undefined: the caller may not change resolvers. */
  readonly onRemove: ((name: string) => void) | undefined;
}

function ResolverCard({ resolver, realms, onRemove }: ResolverCardProps): ReactNode {
  const t = useTexts(resolverTexts);
  const { kinds } = useTexts(settingTexts);
  const { name, kind } = resolver;
  return (
    <Card
      title={name}
      badges={<Badge variant="light">{kinds[kind] ?? kind}</Badge>}
      actions={
        <>
          <Button
            component="a"
            href={`#/resolvers/${encodeURIComponent(name)}`}
            variant="default"
            size="xs"
            aria-label={`${t.open}: ${name}`}
          >
            {t.open}
          </Button>
          {onRemove && (
            <Button
              variant="default"
              size="xs"
              aria-label={`${t.remove}: ${name}`}
              onClick={() => {
                onRemove(name);
              }}
            >
              {t.remove}
            </Button>
          )}
        </>
      }
    >
      <Facts facts={[[t.realms, realms.length === 0 ? t.noRealm : realms.join(', ')]]} />
    </Card>
  );
}
