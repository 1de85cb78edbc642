import { Button, CopyButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../language/language.ts';
import { designTexts } from './design-texts.ts';

/** A button that copies a text; none where browsers let no page do that: without TLS. */
export function CopyTextButton({ text }: { readonly text: string }): ReactNode {
  const t = useTexts(designTexts);
  return (
    isSecureContext && (
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy}>
            {copied ? t.copied : t.copy}
          </Button>
        )}
      </CopyButton>
    )
  );
}
