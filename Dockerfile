# The checkout server as a container (docs/standalone-server.md):
#   docker build -t pay-invoice-server . && docker run -p 8080:8080 -v pay-invoice:/data --env-file server.env pay-invoice-server
FROM node:26-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build && npm pack --ignore-scripts
# The package with its dependencies and the driver of PostgreSQL, in the versions of the lock file.
RUN npm pkg delete devDependencies.pg && npm pkg set dependencies.pg=8 && npm install --omit=dev --ignore-scripts && mkdir node_modules/pay-invoice && tar -xzf pay-invoice-*.tgz --strip-components=1 -C node_modules/pay-invoice

FROM node:26-bookworm-slim
WORKDIR /app
COPY --from=build /build/node_modules /app/node_modules
RUN mkdir /data && chown node:node /data
USER node
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
EXPOSE 8080
VOLUME /data
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is the first process, so that SIGTERM ends the server when its requests are answered. SIGUSR1 would open a debugger.
CMD ["node", "--disable-sigusr1", "node_modules/pay-invoice/dist/bin/server.js"]
