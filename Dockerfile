# Only the service. PostgreSQL, Redis, and LiveKit run in other containers (see docker-compose.yml).

# Builds the pages. What builds them stays in this stage.
FROM node:24.11.1-bookworm-slim AS pages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run prepare && rm -rf node_modules api/web/demo api/web/admin

FROM node:24.11.1-bookworm-slim
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force
COPY --from=pages /app .

# Without DATABASE_URL, the embedded database is stored in /data, too. JWT_SECRET and ENCRYPTION_KEY are required in production.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
RUN mkdir /data && chown node:node /data
VOLUME /data

USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "main.ts", "start"]
