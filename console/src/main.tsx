import './style/face.css';
import './style/tokens.css';
import './style/base.css';
import './style/print.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query.ts';
import { listenToKeys } from './parts/shortcuts.ts';
import { applyTheme } from './parts/theme.ts';
import { router } from './routes.tsx';

applyTheme();
listenToKeys();
createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
